import type { Static } from '@sinclair/typebox'
import { long, read, write } from '../kernel/operation.ts'
import { presetOf } from './presets/apply.ts'
import type * as schema from './schema.ts'
import { getNote, getNoteSummary, presentNote } from './store.ts'
import { appendText, editPassages } from './writing/append-and-edit.ts'
import { createNote as insertNote, presentCreated } from './writing/create.ts'
import { changeProperties, readProperties } from './writing/properties.ts'
import { rename } from './writing/rename.ts'
import { restoreRevision } from './writing/revisions.ts'
import { takeOffTags } from './writing/tags.ts'
import {
  getTrashedNote,
  listTrash,
  purgeNote,
  purgeTrash,
  putInTrash,
  restoreFromTrash,
} from './writing/trash.ts'
import { patchNote } from './writing/update.ts'

const covers = 'notes'

interface Named {
  readonly id: string
}

interface Sent<Body> extends Named {
  readonly body: Body
}

export const readNote = read({
  name: 'notes.get',
  covers,
  run: (snapshot, caller, { id }: Named) => ({ note: presentNote(getNote(snapshot, caller, id)) }),
})

export const readTrash = read({ name: 'notes.trash', covers, run: listTrash })

export const readTrashedNote = read({
  name: 'notes.get-trashed',
  covers,
  run: (snapshot, caller, { id }: Named) => ({ note: presentNote(getTrashedNote(snapshot, caller, id)) }),
})

export const createNote = write({
  name: 'notes.create',
  covers,
  run: (tx, caller, { body }: { body: Static<typeof schema.CreateBody> }) => {
    const namesPreset = body.preset !== undefined || body.answers !== undefined
    const preset = namesPreset ? presetOf(tx, caller, body) : undefined
    return presentCreated(insertNote(tx, caller, body, { preset }))
  },
})

export const trashNote = write({
  name: 'notes.trash-note',
  covers,
  object: readNote,
  run: (tx, caller, { id }: Named) => {
    putInTrash(tx, caller, id)
    return { trashed: true, id }
  },
})

type PatchInput = Sent<Static<typeof schema.PatchBody>>

export const updateNote = write({
  name: 'notes.patch',
  covers,
  object: readNote,
  run: (tx, caller, { id, body: { rewrite_links: _, ...patch } }: PatchInput) => ({
    note: presentNote(patchNote(tx, caller, id, patch)),
  }),
})

/** Also rewrites links that lead to the note by a changing title or alias, so call `refreshLinks` first. */
export const renameNote = long(
  write({
    name: 'notes.rename',
    covers,
    object: readNote,
    run: (tx, caller, { id, body: { rewrite_links: _, ...patch } }: PatchInput) =>
      rename(tx, caller, id, patch),
  }),
)

export const appendToNote = write({
  name: 'notes.append',
  covers,
  object: readNote,
  run: (tx, caller, { id, body }: Sent<Static<typeof schema.AppendBody>>) => ({
    note: presentNote(appendText(tx, caller, getNote(tx, caller, id), body)),
  }),
})

export const editNote = write({
  name: 'notes.edit',
  covers,
  object: readNote,
  run: (tx, caller, { id, body }: Sent<Static<typeof schema.EditBody>>) => ({
    note: presentNote(editPassages(tx, caller, getNote(tx, caller, id), [body])),
  }),
})

export const restoreNote = write({
  name: 'notes.restore',
  covers,
  run: (tx, caller, { id }: Named) => ({ note: presentNote(restoreFromTrash(tx, caller, id)) }),
})

/* A purge takes several calls, so that it never blocks other writes for long. */

export const purgeTrashedNote = write({
  name: 'notes.purge',
  covers,
  run: (tx, caller, { id }: Named) => ({ isGone: purgeNote(tx, caller, id) }),
})

/** Without `end`, purges every note currently in the trash. */
export const emptyTrash = write({
  name: 'notes.empty-trash',
  covers,
  run: (tx, caller, { end = tx.now }: { readonly end?: number }) => ({ end, ...purgeTrash(tx, caller, end) }),
})

export const restoreNoteRevision = write({
  name: 'notes.restore-revision',
  covers,
  run: (tx, caller, { id, revisionId }: Named & { readonly revisionId: string }) => ({
    note: presentNote(restoreRevision(tx, caller, id, revisionId)),
  }),
})

export const readNoteProperties = read({
  name: 'notes.properties',
  covers,
  run: (snapshot, caller, { id }: Named) => ({
    properties: readProperties(snapshot, getNoteSummary(snapshot, caller, id).pk),
  }),
})

export const updateNoteProperties = write({
  name: 'notes.patch-properties',
  covers,
  object: readNote,
  run: (tx, caller, { id, body }: Sent<Static<typeof schema.PropertiesBody>>) => ({
    properties: changeProperties(tx, caller, getNoteSummary(tx, caller, id), body),
  }),
})

export const addNoteTags = write({
  name: 'notes.add-tags',
  covers,
  object: readNote,
  run: (tx, caller, { id, body }: Sent<Static<typeof schema.TagsBody>>) => ({
    note: presentNote(patchNote(tx, caller, id, body)),
  }),
})

export const removeNoteTag = write({
  name: 'notes.remove-tag',
  covers,
  run: (tx, caller, { id, name }: Named & { readonly name: string }) => ({
    note: presentNote(takeOffTags(tx, caller, getNote(tx, caller, id), [name])),
  }),
})
