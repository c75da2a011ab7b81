import { address } from '../router.ts'

/** Addresses of single objects, for links from any screen. */
export const noteAddress = (id: string): string => address(['notes', id])
export const recordAddress = (structureId: string, id: string): string =>
  address(['records', structureId, id])
export const fileAddress = (id: string): string => address(['files', id])

export interface CommentPlace {
  readonly id: string
  readonly note_id: string | null
  readonly record_id: string | null
  readonly structure_id: string | null
}

/** The address of the note or row of a comment, with the comment in view. */
export const commentAddress = ({ id, note_id, record_id, structure_id }: CommentPlace): string =>
  note_id === null
    ? address(['records', structure_id ?? '', record_id ?? ''], { tab: 'comments', comment: id })
    : address(['notes', note_id], { pane: 'details', comment: id })
