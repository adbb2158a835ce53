// Entry point of the console, the page at /.

import { render } from "preact";
import { resumeSession } from "./state/session.ts";
import { startLanguage } from "./texts/language.ts";
import { App } from "./views/app.tsx";

resumeSession().catch(reportError);
await startLanguage();
const root = document.getElementById("root");
if (root !== null) render(<App />, root);
