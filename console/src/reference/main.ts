// The script of the reference page. Everything can be read without it.

import { startCopying } from "./copy.ts";
import { startKey } from "./key.ts";
import { startMenu } from "./menu.ts";
import { startScrollers } from "./scrollers.ts";
import { startSearch } from "./search.ts";
import { startTabs } from "./tabs.ts";
import { startForms } from "./try-it.ts";
import { startWidgetPreview } from "./widget-preview.ts";

startTabs();
startKey();
startMenu();
startSearch();
startCopying();
startForms();
startScrollers();
startWidgetPreview();
