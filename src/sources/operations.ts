/* What runs in a worker thread. */

export { arrival, replay } from './receive.ts'
export { trial } from './try.ts'
