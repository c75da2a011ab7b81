import { once } from './bounded-cache.ts'

/*
 * Node modules that take 8 to 14 ms of processor time and several MiB to load. Loading them on first use keeps them
 * out of the server's start.
 */

export const nodeCrypto = once(() => process.getBuiltinModule('node:crypto'))
export const nodeDns = once(() => process.getBuiltinModule('node:dns'))
export const nodeHttp = once(() => process.getBuiltinModule('node:http'))
export const nodeNet = once(() => process.getBuiltinModule('node:net'))
export const nodeTls = once(() => process.getBuiltinModule('node:tls'))
export const nodeZlib = once(() => process.getBuiltinModule('node:zlib'))
