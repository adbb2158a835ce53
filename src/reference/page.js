// Try-it forms of the reference page: send a request to this service and show its response unchanged.

const key = document.getElementById("key");
key.value = sessionStorage.getItem("key") ?? "";
key.addEventListener("input", () => sessionStorage.setItem("key", key.value));
document.getElementById("key-form").addEventListener("submit", (event) => event.preventDefault());

for (const form of document.querySelectorAll("form.try")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const shown = form.querySelector(".answer");
    shown.hidden = false;
    shown.textContent = "…";
    try {
      const answer = await send(form);
      shown.textContent = describeHead(answer);
      // As it arrives: a stream has no end.
      const decoder = new TextDecoder();
      const reader = answer.body?.getReader();
      for (let part = await reader?.read(); part && !part.done; part = await reader.read())
        shown.append(decoder.decode(part.value, { stream: true }));
    } catch (error) {
      shown.textContent = `No answer: ${error.message}. Is the service running?`;
    }
  });
}

async function send(form) {
  const { method, path } = form.dataset;
  const query = new URLSearchParams();
  const headers = {};
  let filled = path;
  for (const { name, value, dataset } of form.querySelectorAll("input[data-in]")) {
    if (dataset.in === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (dataset.in === "header" && value !== "") headers[name] = value;
    else if (value !== "") query.set(name, value);
  }
  // The browser sends the type of a file.
  const file = form.querySelector("input[type=file]")?.files[0];
  const text = form.querySelector("textarea")?.value || undefined;
  if (text !== undefined) headers["content-type"] = "application/json";
  if (key.value !== "") headers.authorization = `Bearer ${key.value}`;
  // Relative to the page, so that it works behind a proxy that adds a path.
  const target = `v1${filled}${query.size > 0 ? `?${query}` : ""}`;
  return fetch(target, { method, headers, body: file ?? text, cache: "no-store" });
}

function describeHead(answer) {
  const lines = [...answer.headers].map(([name, value]) => `${name}: ${value}`);
  return `${answer.status} ${answer.statusText}\n${lines.join("\n")}\n\n`;
}
