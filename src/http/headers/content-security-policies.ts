// The Content-Security-Policy of each kind of page: no other hosts, no inline code and no frames.

const ALONE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const CONTENT_SECURITY_POLICIES = {
  console: `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; ${ALONE}`,
  /** The preview of the widget shows photos. */
  reference: `default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; ${ALONE}`,
  /** Public pages have forms, for the search. */
  site: "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  notFound: `default-src 'none'; style-src 'self'; img-src data:; ${ALONE}`,
  /** Images are only to be shown: a browser that opens one as a page runs and loads nothing. */
  image: `default-src 'none'; ${ALONE}; sandbox`,
};
