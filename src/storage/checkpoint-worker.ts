/*
 * A worker that checkpoints a database for the main thread (`connection/checkpoint.ts`), because writing and syncing
 * many pages takes long.
 */
import type { CheckpointTask } from './connection/checkpoint.ts'
import { runCheckpoint } from './connection/checkpoint-task.ts'

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<CheckpointTask>) => self.postMessage(runCheckpoint(data))
