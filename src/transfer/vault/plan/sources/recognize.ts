import { baseName, isNoteFile, withoutExtension } from '../files.ts'
import { isBundleText } from './bear.ts'
import { LOGSEQ_SETTINGS } from './logseq.ts'
import type { SourceName } from './source.ts'

const IN_LOGSEQ = /^(?:pages|journals)\/[^/]+$/
const JOURNAL = /^journals\/\d{4}_\d{2}_\d{2}\.md$/i
const LOGSEQ_TEXT = /^(?:\ufeff)?\s*(?:[\p{L}_][\p{L}\p{N}_\-./]*::(?:[ \t]|$)|- )/u
const NOTION_NAME = / [\da-f]{32}(?:_all)?\.(?:md|csv)$/
/** As many texts suffice to see how a graph is written. */
const SAMPLES = 20

/**
 * The program that wrote the files of a folder; `textOf` returns the beginning of a note. Every sign must fit: an
 * ordinary folder may well have one called `pages`.
 */
export function recognizedSource(paths: readonly string[], textOf: (path: string) => string): SourceName {
  const notes = paths.filter((path) => isNoteFile({ path }))
  if (notes.some(isBundleText)) return 'bear'
  if (isNotion(paths, notes)) return 'notion'
  return isLogseq(paths, notes, textOf) ? 'logseq' : 'obsidian'
}

function isNotion(paths: readonly string[], notes: readonly string[]): boolean {
  const named = paths.filter((path) => NOTION_NAME.test(path))
  const others = notes.filter((path) => !NOTION_NAME.test(path))
  return named.length > 0 && named.length > others.length
}

function isLogseq(
  paths: readonly string[],
  notes: readonly string[],
  textOf: (path: string) => string,
): boolean {
  if (paths.includes(LOGSEQ_SETTINGS)) return true
  const own = notes.filter((path) => IN_LOGSEQ.test(path))
  const others = notes.filter((path) => !IN_LOGSEQ.test(path) && !path.startsWith('logseq/'))
  if (own.length === 0 || others.length > 0) return false
  const isEscaped = (path: string) => /___|%[\dA-F]{2}/i.test(withoutExtension(baseName(path)))
  if (own.some((path) => JOURNAL.test(path) || isEscaped(path))) return true
  const samples = own.slice(0, SAMPLES)
  return samples.filter((path) => LOGSEQ_TEXT.test(textOf(path))).length > samples.length / 2
}
