import { join } from 'node:path'
import { startBrowser } from '../../../test/support/browser.ts'
import { fillWideTable, measureFinder, measureNoteOpenings, measureSwitches } from '../browser/felt-speed.ts'
import { measureKeys } from '../browser/keys.ts'
import { createLongNote } from '../browser/notes.ts'
import { newPage, setUp, setupToken } from '../browser/page.ts'
import { wordOfRank } from '../corpus.ts'
import { fillNotes, openDataset, temporaryFolder } from '../dataset.ts'
import { p95Row, type Section } from '../results.ts'
import { startServer } from '../servers.ts'

const NOTES = 1_000
const ROWS = 25_000
const WORDS = 2_000
const MAX_OPEN_MS = 60
const MAX_NARROW_MS = 120
const MAX_WIDE_MS = 250
const MAX_FIND_MS = 100
const MAX_KEY_MS = 16

/** A text of paragraphs with 40 words each. */
const textOf = (words: number): string =>
  Array.from(
    { length: words },
    (_, index) => `${wordOfRank((index * 37) % 4_000)}${index % 40 === 39 ? '.\n\n' : ' '}`,
  ).join('')

/** The speed of everyday work as a user perceives it, with the data of one person. */
export async function benchFeltSpeed(): Promise<Section> {
  const file = join(temporaryFolder(), 'felt-speed.db')
  const data = await openDataset(file)
  await fillNotes(data, NOTES)
  const text = textOf(WORDS)
  const note = await createLongNote(data, text)
  const narrow = await fillWideTable(data, 'Narrow', { rows: ROWS, columns: 13 })
  const wide = await fillWideTable(data, 'Wide', { rows: ROWS, columns: 33 })
  data.close()
  const token = await setupToken(file)
  const server = await startServer(file)
  const browser = await startBrowser()
  try {
    const page = await newPage(browser)
    await setUp(page, server, token)
    const openings = await measureNoteOpenings(page, server)
    const toNarrow = await measureSwitches(page, server, { from: wide, to: narrow })
    const toWide = await measureSwitches(page, server, { from: narrow, to: wide })
    const found = await measureFinder(page, server)
    const [typed] = await measureKeys(page, server, { note, text, places: ['middle'] })
    return {
      title: `Application in Chromium, ${NOTES.toLocaleString('en-US')} notes and ${ROWS.toLocaleString('en-US')} rows`,
      rows: [
        p95Row('a note opened from the list', openings, MAX_OPEN_MS),
        p95Row('switch to a table of 13 columns', toNarrow, MAX_NARROW_MS),
        p95Row('switch to a table of 33 columns', toWide, MAX_WIDE_MS),
        p95Row('key in the finder to its first result', found, MAX_FIND_MS),
        p95Row(
          `key in a note of ${WORDS.toLocaleString('en-US')} words (floor: a bare editor)`,
          typed?.keys ?? [],
          MAX_KEY_MS,
          typed?.floor,
        ),
      ],
    }
  } finally {
    await browser.close()
    await server.stop()
  }
}
