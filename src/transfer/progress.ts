// How long operations report their progress.

export type Progress = (done: number, total: number, what: string) => void;
