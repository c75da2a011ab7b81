/*
 * One program for each client generator. Each creates a note, finds it by its tag, and changes it with the `updated_at`
 * it read as `if_unchanged`. Then it lists the files, of which one is ready. Each program prints the data it read.
 */

export const OPENAPI_PYTHON_CLIENT = `
import json, os
from daybook_client import AuthenticatedClient
from daybook_client.api.files import list_files
from daybook_client.api.notes import create_note, list_notes, update_note
from daybook_client.models import CreateNoteBody, UpdateNoteBody

client = AuthenticatedClient(base_url=os.environ["DAYBOOK_URL"], token=os.environ["DAYBOOK_KEY"])
made = create_note.sync(client=client, body=CreateNoteBody(title="Made", tags=["python"])).note
read = list_notes.sync(client=client, tag="python").notes[0]
patch = UpdateNoteBody(title="Changed", if_unchanged=read.updated_at)
changed = update_note.sync(read.id, client=client, body=patch).note
[file] = list_files.sync(client=client).files
print(json.dumps([made.title, read.id == made.id, changed.title, file.status]))
`

export const OPENAPI_GENERATOR = `
import json, os
import openapi_client as daybook

configuration = daybook.Configuration(host=os.environ["DAYBOOK_URL"], access_token=os.environ["DAYBOOK_KEY"])
client = daybook.ApiClient(configuration)
notes = daybook.NotesApi(client)
made = notes.create_note(daybook.CreateNoteRequest(title="Made", tags=["generator"])).note
read = notes.list_notes(tag="generator").notes[0]
patch = daybook.UpdateNoteRequest(title="Changed", if_unchanged=read.updated_at)
changed = notes.update_note(read.id, patch).note
[file] = daybook.FilesApi(client).list_files().files
print(json.dumps([made.title, read.id == made.id, changed.title, file.status]))
`

export const OAPI_CODEGEN = `
package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"example.com/use/daybook"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("DAYBOOK_KEY"))
		return nil
	}
	client, err := daybook.NewClientWithResponses(os.Getenv("DAYBOOK_URL"), daybook.WithRequestEditorFn(authorize))
	check(err)
	title, tag := "Changed", "go"
	body := daybook.CreateNoteJSONRequestBody{Title: "Made", Tags: &[]string{tag}}
	made, err := client.CreateNoteWithResponse(ctx, nil, body)
	check(err)
	listed, err := client.ListNotesWithResponse(ctx, &daybook.ListNotesParams{Tag: &tag})
	check(err)
	read := listed.JSON200.Notes[0]
	patch := daybook.UpdateNoteJSONRequestBody{Title: &title, IfUnchanged: &read.UpdatedAt}
	changed, err := client.UpdateNoteWithResponse(ctx, read.Id, nil, patch)
	check(err)
	files, err := client.ListFilesWithResponse(ctx, nil)
	check(err)
	note := made.JSON201.Note
	file := files.JSON200.Files[0]
	json.NewEncoder(os.Stdout).Encode([]any{note.Title, read.Id == note.Id, changed.JSON200.Note.Title, file.Status})
}
`

export const OPENAPI_FETCH = `
import createClient from 'openapi-fetch'
import type { paths } from './daybook.ts'

const headers = { authorization: \`Bearer \${Bun.env.DAYBOOK_KEY}\` }
const client = createClient<paths>({ baseUrl: Bun.env.DAYBOOK_URL ?? '', headers })
const made = await client.POST('/v1/notes', { body: { title: 'Made', tags: ['fetch'] } })
const listed = await client.GET('/v1/notes', { params: { query: { tag: 'fetch' } } })
const [read] = listed.data?.notes ?? []
if (!read) throw new Error(JSON.stringify([made, listed]))
const changed = await client.PATCH('/v1/notes/{id}', {
  params: { path: { id: read.id } },
  body: { title: 'Changed', if_unchanged: read.updated_at },
})
const files = await client.GET('/v1/files')
const note = made.data?.note
const status = files.data?.files[0]?.status
console.log(JSON.stringify([note?.title, read.id === note?.id, changed.data?.note.title, status]))
`

export const ORVAL = `
import { createNote, listFiles, listNotes, updateNote } from './daybook.ts'

const options = { headers: { authorization: \`Bearer \${Bun.env.DAYBOOK_KEY}\` } }
const made = await createNote({ title: 'Made', tags: ['orval'] }, options)
const listed = await listNotes({ tag: 'orval' }, options)
if (made.status !== 201 || listed.status !== 200) throw new Error(JSON.stringify([made, listed]))
const [read] = listed.data.notes
const patch = { title: 'Changed', if_unchanged: read.updated_at }
const changed = await updateNote(read.id, patch, options)
const files = await listFiles({}, options)
if (changed.status !== 200 || files.status !== 200) throw new Error(JSON.stringify([changed, files]))
const { note } = made.data
console.log(JSON.stringify([note.title, read.id === note.id, changed.data.note.title, files.data.files[0].status]))
`
