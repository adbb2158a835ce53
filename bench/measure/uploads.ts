// Measures the hot list of a node while photos are uploaded to it, and the same node without uploads.

import type { Accompany } from "../contenders/contender.ts";
import { startService } from "../contenders/service.ts";
import { ENGINES, type Engine } from "../data/stores.ts";
import { UPLOAD_LANES } from "../load/upload-part.ts";
import { drawPhotos, startUploader } from "../load/uploader.ts";
import { showProgress } from "../progress.ts";
import type { UploadRun } from "../results.ts";
import type { Bench } from "./bench.ts";
import { runRounds } from "./rounds.ts";

export async function measureUploads(bench: Bench, engine: Engine): Promise<UploadRun> {
  const animals = bench.sizes.comparison;
  const title = `${ENGINES[engine]}, uploads`;
  showProgress(`${title}: creating ${animals} animals`);
  const store = await bench.stores.get(engine, animals);
  const service = await startService(bench, store);
  let uploads = 0;
  const accompany: Accompany = async (run) => {
    const uploader = startUploader({ url: service.server.url, key: service.key }, await drawPhotos());
    const report = await run();
    const { uploaded, fault = report.fault } = await uploader.stop();
    uploads += uploaded;
    return { ...report, ...(fault !== undefined && { fault }) };
  };
  const lanes = [
    { ...service, name: UPLOAD_LANES.without },
    { ...service, name: UPLOAD_LANES.with, accompany },
  ];
  const samples = await runRounds(bench, lanes, { workload: "hot-list", animals, title });
  await service.server.stop();
  return { engine, animals, uploads, samples };
}
