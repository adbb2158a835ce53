// The console: what the page at / shows.

import { render } from "preact";
import { resumeSession } from "./state/session.ts";
import { App } from "./views/app.tsx";

resumeSession();
const root = document.getElementById("root");
if (root !== null) render(<App />, root);
