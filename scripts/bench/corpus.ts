import { Random } from '../lib/random.ts'

const SYLLABLES =
  'ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo vu'.split(
    ' ',
  )
const IDEOGRAPHS =
  '日本語文章東京大学生活時間仕事会議計画資料報告研究開発設計実験結果考察問題解決方法技術情報社会経済政治文化歴史自然科学'

const VOCABULARY = 20_000
const TAGS = 40

/** Returns the word of a rank: rank 0 occurs in nearly every note, the last ranks in a few. */
export function wordOfRank(rank: number): string {
  let word = ''
  for (let rest = rank + 60; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length]
  return word
}

export interface CorpusNote {
  title: string
  content: string
  tags: string[]
}

/** Notes of about 2 KB: Zipf-distributed words, a link in every third, up to three tags, Japanese text in every seventh. */
export function* corpus(count: number, seed = 1): Generator<CorpusNote> {
  const generator = new Random(seed)
  const random = () => generator.next()
  const word = () => wordOfRank(Math.min(VOCABULARY - 1, Math.floor(VOCABULARY ** random()) - 1))
  const words = (length: number) => Array.from({ length }, word).join(' ')
  const ideographs = (length: number) =>
    Array.from({ length }, () => IDEOGRAPHS[Math.floor(random() * IDEOGRAPHS.length)]).join('')
  for (let index = 0; index < count; index++) {
    const lines = Array.from({ length: 20 }, () => `${words(14)}.`)
    if (index % 7 === 0) lines.splice(5, 8, ...Array.from({ length: 8 }, () => `${ideographs(40)}。`))
    if (index % 3 === 0) lines.push(`See [[Note ${Math.floor(random() * count)}]].`)
    const tags = Array.from(
      { length: Math.floor(random() * 4) },
      () => `tag ${Math.floor(TAGS ** random()) - 1}`,
    )
    yield { title: `Note ${index} ${words(3)}`, content: lines.join('\n\n'), tags: [...new Set(tags)] }
  }
}

export const ROW_FIELDS = [
  { key: 'title', type: 'text' },
  { key: 'city', type: 'text' },
  { key: 'amount', type: 'number' },
  { key: 'due', type: 'date' },
  { key: 'status', type: 'select', options: ['open', 'waiting', 'done', 'dropped'] },
  { key: 'paid', type: 'bool' },
  { key: 'note', type: 'note' },
  { key: 'remark', type: 'text' },
] as const

/** The five fields with their own index, and their columns in the derived table. */
export const INDEXED_COLUMNS = { title: 'f1', amount: 'f3', due: 'f4', status: 'f5', note: 'f7' }
const STATUSES = ['open', 'waiting', 'done', 'dropped']

export type Data = Record<string, unknown>

/** Rows of about 340 bytes; every tenth has no amount, every seventh no due date. */
export function* rowsOf(count: number, notes: readonly string[], seed = 1): Generator<Data> {
  const generator = new Random(seed)
  const random = () => generator.next()
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

/** Returns the column values of a row in the derived table of its structure, computed by hand for the baseline. */
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
