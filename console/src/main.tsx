// Entry point of the console, the page at /.

import "./sign-in/join-code.ts";
import { render } from "preact";
import { App } from "./app.tsx";
import { resumeSession } from "./shared/state/session.ts";
import { startLanguage } from "./shared/texts/language.ts";

resumeSession().catch(reportError);
await startLanguage();
const root = document.getElementById("root");
if (root !== null) render(<App />, root);
