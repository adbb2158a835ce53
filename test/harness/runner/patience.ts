// How long tests wait for what should happen soon. Much longer than a calm machine needs, because a shared one can be ten
// times slower, and only a failing test waits to the end.

/** A setting of the service: a busy machine does not look like an unavailable Redis. */
export const PATIENT_MS = "5000";
/** The same for PostgreSQL. */
export const PATIENT_DATABASE_MS = 30_000;
/** The same for the conversion of a photo, which has a low priority. */
export const PATIENT_IMAGE_MS = 60_000;

/** Time for a step of a test, for example in the browser. */
export const STEP_MS = 60_000;
/** Time for all tests of a file in the browser. */
export const SCENE_MS = 800_000;
/** A file that has not ended by then hangs. */
export const FILE_TIMEOUT_MS = 900_000;
