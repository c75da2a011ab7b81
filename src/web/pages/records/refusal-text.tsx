import { targetOf } from './labels.ts'

const ROW = /the record ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/

/** A sentence of the server, in which the row that it names by its id is a link with its label. */
export function RefusalText({ sentence }: { sentence: string }) {
  const [before, id, after] = sentence.split(ROW)
  if (id === undefined) return <>{sentence}</>
  const { label, href } = targetOf({ type: 'record', structure: null }, id) ?? { label: '…' }
  return (
    <>
      {before}the row <a href={href}>{label}</a>
      {after}
    </>
  )
}
