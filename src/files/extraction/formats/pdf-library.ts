import wasm from '@embedpdf/pdfium/pdfium.wasm' with { type: 'file' }
import { embeddedFile } from '../../../lib/program.ts'

import pdfium = require('@embedpdf/pdfium')

export type Pdfium = Awaited<ReturnType<typeof pdfium.init>>

/** Loads PDFium, which is compiled to WebAssembly. */
export async function startPdfium(): Promise<Pdfium> {
  const library = await pdfium.init({ wasmBinary: await embeddedFile(wasm).arrayBuffer() })
  library.PDFiumExt_Init()
  return library
}

/** The current memory of the module; the buffer is replaced when it grows. */
export const memoryOf = (module: Pdfium['pdfium']) => (module as unknown as { HEAPU8: Uint8Array }).HEAPU8

/** Copies bytes into the module's memory, where they stay until the process exits; returns their address. */
export function copyIn({ pdfium: module }: Pdfium, bytes: Uint8Array): number {
  const at = module.wasmExports.malloc(bytes.length)
  memoryOf(module).set(bytes, at)
  return at
}

/** Decodes UTF-16 text of up to `size` bytes that `fill` writes; it returns their number, with the terminator. */
export function readText({ pdfium: module }: Pdfium, size: number, fill: (at: number) => number): string {
  const at = module.wasmExports.malloc(size)
  try {
    const length = Math.min(fill(at), size)
    return new TextDecoder('utf-16le').decode(memoryOf(module).subarray(at, at + Math.max(length - 2, 0)))
  } finally {
    module.wasmExports.free(at)
  }
}
