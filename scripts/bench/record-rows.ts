import { seededRandom, wordOfRank } from './corpus.ts'

export const FIELDS = [
  { key: 'title', type: 'text' },
  { key: 'city', type: 'text' },
  { key: 'amount', type: 'number' },
  { key: 'due', type: 'date' },
  { key: 'status', type: 'select', options: ['open', 'waiting', 'done', 'dropped'] },
  { key: 'paid', type: 'bool' },
  { key: 'note', type: 'note' },
  { key: 'remark', type: 'text' },
] as const

/** The five fields that hold an index of their own, by their columns. */
export const INDEXED = { title: 'f1', amount: 'f3', due: 'f4', status: 'f5', note: 'f7' }
const STATUSES = ['open', 'waiting', 'done', 'dropped']

export type Data = Record<string, unknown>

/** Rows of about 340 bytes; every tenth lacks its amount, every seventh its day. */
export function* rowsOf(count: number, notes: readonly string[], seed = 1): Generator<Data> {
  const random = seededRandom(seed)
  const words = (length: number) =>
    Array.from({ length }, () => wordOfRank(Math.floor(20_000 ** random()) - 1)).join(' ')
  const day = () =>
    `202${Math.floor(random() * 4)}-${String(1 + Math.floor(random() * 12)).padStart(2, '0')}-${String(1 + Math.floor(random() * 28)).padStart(2, '0')}`
  for (let at = 0; at < count; at++) {
    yield {
      title: `Entry ${Math.floor(random() * 1e9)} ${words(2)}`,
      city: wordOfRank(Math.floor(1_000 ** random()) - 1),
      ...(at % 10 > 0 && { amount: Math.floor(random() * 100_000) / 100 }),
      ...(at % 7 > 0 && { due: day() }),
      status: STATUSES[(Math.floor(random() * 8) % 7) % 4],
      paid: random() < 0.5,
      note: notes[Math.floor(random() * notes.length)],
      remark: words(24),
    }
  }
}

/** What the columns of a structure's table hold of a row, written out by hand for the floor. */
export function columnsOf(data: Data): Record<string, string | number | null> {
  const folded = (value: unknown) => {
    const lower = String(value).toLowerCase()
    return lower === value ? null : lower
  }
  const amount = (data.amount as number | undefined) ?? null
  return {
    f3: amount,
    g3: amount === null || Number.isInteger(amount) ? null : String(amount),
    f4: (data.due as string | undefined) ?? null,
    f5: String(data.status),
    g5: folded(data.status),
    f6: data.paid ? 1 : 0,
    f7: String(data.note),
    f1: String(data.title),
    g1: folded(data.title),
    f2: String(data.city),
    g2: folded(data.city),
    f8: String(data.remark),
    g8: folded(data.remark),
  }
}
