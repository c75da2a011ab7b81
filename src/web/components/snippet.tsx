const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" }

const plain = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39|#x27);/g, (_, name: string) => ENTITIES[name] ?? '')

/** Before a hit stands no more than leaves it in sight where a line or two are shown. */
const BEFORE_HIT = 28

const endOf = (text: string): string =>
  text.length <= BEFORE_HIT ? text : `…${text.slice(-BEFORE_HIT).replace(/^\S*\s/, '')}`

/** Links as they read. */
const withoutLinks = (text: string): string => text.replaceAll(/!?\[\[(?:[^[\]|\n]{0,500}\|)?|\]\]/g, '')

/** A snippet of the server, in which hits stand between `<mark>` and `</mark>` and everything else is escaped. */
export function Snippet({ text }: { text: string }) {
  const [before = '', ...hits] = withoutLinks(text).split('<mark>')
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
