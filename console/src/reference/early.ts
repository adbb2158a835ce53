// Runs before the page is painted: shows the samples in the language that the reader chose last, without a shift.

try {
  const language = localStorage.getItem("animal-store-samples");
  if (language !== null) document.documentElement.dataset.language = language;
} catch {
  // The browser forbids storage; the first language is shown.
}
