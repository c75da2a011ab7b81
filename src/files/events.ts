import { type Difference, differenceOf } from '../log/difference.ts'
import type { ChangeAuthor } from '../log/log.ts'
import { type EventSource, objectPayload } from '../log/message.ts'
import { newHead, storeEvent, subscriptionsTo, wants } from '../log/outbox.ts'
import type { Tx } from '../storage/writes/transaction.ts'
import { presentFile } from './present.ts'
import { type Announcement, announcementBy, type FileRow, findAnnouncement } from './store.ts'

/*
 * Events of files are published in the transactions of the changes. New files and new content are announced once their
 * text is extracted or extraction has failed. Until then, the announcement is stored with the file.
 */

const NO_DIFFERENCE: Difference = { changed: [], previous: {} }

function publish(
  tx: Tx,
  workspace: number,
  type: 'file.created' | 'file.updated' | 'file.deleted',
  file: FileRow,
  source: EventSource,
  { changed, previous } = NO_DIFFERENCE,
): void {
  const receivers = subscriptionsTo(tx, workspace, 'file').filter((each) => wants(each, type, source.keyId))
  if (receivers.length === 0) return
  const payload = objectPayload(newHead(tx, { workspace, source }), type, {
    file: presentFile(file),
    changed,
    previous,
  })
  storeEvent(tx, { payload, objectId: file.id }, receivers)
}

/** Publishes that a file exists with its text, or has other content than before. */
export function announce(tx: Tx, workspace: number, file: FileRow, { source, before }: Announcement): void {
  if (!before) publish(tx, workspace, 'file.created', file, source)
  else publishUpdate(tx, workspace, source, before, file)
}

function publishUpdate(tx: Tx, workspace: number, source: EventSource, before: object, after: FileRow): void {
  const difference = differenceOf({ ...before }, presentFile(after), ['note_id'])
  if (difference.changed.length > 0) publish(tx, workspace, 'file.updated', after, source, difference)
}

const sourceOf = ({ surface, keyId }: ChangeAuthor): EventSource => ({ surface, keyId })

/** A rename before the announcement of a file becomes part of the announcement. */
export function publishRename(tx: Tx, author: ChangeAuthor, before: FileRow, after: FileRow): void {
  if (findAnnouncement(tx, after.pk)) return
  publishUpdate(tx, author.workspacePk, sourceOf(author), presentFile(before), after)
}

/** Publishes the deletion of a file before its removal; nothing for a file that was never announced. */
export function publishFileDeletion(tx: Tx, author: ChangeAuthor, file: FileRow): void {
  const announcement = findAnnouncement(tx, file.pk)
  if (announcement && !announcement.before) return
  publish(tx, author.workspacePk, 'file.deleted', file, sourceOf(author))
}

/** The announcement of a file before its content is replaced, as its column stores it. */
export function nextAnnouncement(tx: Tx, author: ChangeAuthor, file: FileRow): string {
  const pending = findAnnouncement(tx, file.pk)
  const before = pending ? pending.before : presentFile(file)
  return JSON.stringify(announcementBy(author, before))
}
