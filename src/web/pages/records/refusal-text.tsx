import { targetOf } from '../../data/records/labels.ts'

const ROW = /the record ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/

/** A message from the server, with the id of a row replaced by a link to it. */
export function RefusalText({ message }: { message: string }) {
  const [before, id, after] = message.split(ROW)
  if (id === undefined) return <>{message}</>
  const { label, href } = targetOf({ type: 'record', structure: null }, id) ?? { label: '…' }
  return (
    <>
      {before}the row <a href={href}>{label}</a>
      {after}
    </>
  )
}
