import { withoutMarks } from './plain.ts'

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" }

const plain = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39|#x27);/g, (_, name: string) => ENTITIES[name] ?? '')

/** Characters before the first hit, few enough to keep the hit visible in a one-line snippet. */
const BEFORE_HIT = 28

const endOf = (text: string): string =>
  text.length <= BEFORE_HIT ? text : `…${text.slice(-BEFORE_HIT).replace(/^\S*\s/, '')}`

/** A snippet from the server: hits between `<mark>` and `</mark>`, everything else escaped. */
export function Snippet({ text }: { text: string }) {
  const [before = '', ...hits] = withoutMarks(text).split('<mark>')
  return (
    <p class="clamp" dir="auto">
      {hits.length === 0 ? plain(before) : endOf(plain(before))}
      {hits.flatMap((hit) => {
        const [marked = '', after = ''] = hit.split('</mark>')
        return [<mark>{plain(marked)}</mark>, plain(after)]
      })}
    </p>
  )
}
