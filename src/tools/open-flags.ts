// Flags to open a file for reading that may be a named pipe: without them, opening one waits for its writer.

import { constants } from "node:fs";

/** Windows has no such flag. */
export const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Does not follow a symbolic link either. */
export const READ_OWN_AT_ONCE = READ_AT_ONCE | (constants.O_NOFOLLOW ?? 0);
