/** A small seeded generator (mulberry32), so that every run measures the same notes. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const SYLLABLES =
  'ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo vu'.split(
    ' ',
  )
const IDEOGRAPHS =
  '日本語文章東京大学生活時間仕事会議計画資料報告研究開発設計実験結果考察問題解決方法技術情報社会経済政治文化歴史自然科学'

const VOCABULARY = 20_000
const TAGS = 40

/** A word by its rank: rank 0 is in nearly every note, the last ones in a few. */
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

/** Notes of about 2 KB: words by Zipf's law, a link here and there, up to three tags, every seventh with Japanese text. */
export function* corpus(count: number, seed = 1): Generator<CorpusNote> {
  const random = seededRandom(seed)
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
