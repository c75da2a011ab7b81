import { once } from './bounded-cache.ts'

/*
 * Modules of Node that take 8 to 14 ms of processor time and some MiB to load. They are loaded when they are first used, so
 * that a server starts without them.
 */

export const nodeCrypto = once(() => process.getBuiltinModule('node:crypto'))
export const nodeDns = once(() => process.getBuiltinModule('node:dns'))
export const nodeHttp = once(() => process.getBuiltinModule('node:http'))
export const nodeNet = once(() => process.getBuiltinModule('node:net'))
export const nodeTls = once(() => process.getBuiltinModule('node:tls'))
