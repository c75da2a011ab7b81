import { folderOf } from '../../../../lib/paths.ts'
import { baseName, withoutExtension } from '../files.ts'
import type { Source } from './source.ts'

/* A backup of Bear: each note is a folder called `Title.textbundle` with its text and a folder of attachments. */

const BUNDLE = /(?:^|\/)([^/]+)\.textbundle$/

const bundleOf = (path: string): string | undefined => BUNDLE.exec(folderOf(path))?.[1]

/** Whether a file is the text of a bundle. */
export const isBundleText = (path: string): boolean =>
  bundleOf(path) !== undefined && /^text\.(?:md|markdown)$/i.test(baseName(path))

export const bear: Source = {
  name: 'bear',
  titleOf: (path) => (isBundleText(path) ? bundleOf(path) : undefined) ?? withoutExtension(baseName(path)),
  readBeginning: () => undefined,
  /** Tags of several words end in a hash. */
  tagsIn: (line) =>
    Array.from(
      line.matchAll(/(?<=^|\s)#([^\s#][^#\n]{0,98}\s[^#\n]{0,98}[^\s#])#(?=\s|$)/g),
      ([, tag = '']) => tag,
    ),
  blocksIn: () => new Map(),
  skipReason: (path) =>
    bundleOf(path) !== undefined && baseName(path) === 'info.json'
      ? 'it describes a note to Bear.'
      : undefined,
  folderNameOf: (path) => (BUNDLE.test(path) ? folderOf(path) : path),
}
