const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" }

const plain = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39|#x27);/g, (_, name: string) => ENTITIES[name] ?? '')

/** A snippet of the server, in which hits stand between `<mark>` and `</mark>` and everything else is escaped. */
export function Snippet({ text }: { text: string }) {
  const [before = '', ...hits] = text.split('<mark>')
  return (
    <p class="clamp">
      {plain(before)}
      {hits.flatMap((hit) => {
        const [marked = '', after = ''] = hit.split('</mark>')
        return [<mark>{plain(marked)}</mark>, plain(after)]
      })}
    </p>
  )
}
