import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { ConditionList } from '../../../components/conditions/condition-list.tsx'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { Empty, Loading, QueryResult } from '../../../components/pane.tsx'
import { Select } from '../../../components/select.tsx'
import { api } from '../../../data/api.ts'
import { mayWrite } from '../../../data/session.ts'
import {
  type Source,
  type Tried,
  tryEvent,
  updateSource,
  useSourceEvent,
  useSourceEvents,
} from '../../../data/sources.ts'
import { useQuery } from '../../../data/use-query.ts'
import { search } from '../../../router.ts'
import { RefusalText } from '../../records/refusal-text.tsx'
import { Fields, type Structure } from './fields.tsx'
import { type Draft, draftOf, type Entry, entryText, readAs } from './map-draft.ts'
import { SourceEvents } from './source-events.tsx'
import { EventTree } from './tree.tsx'
import {
  acceptsType,
  draftsOf as conditionDraftsOf,
  WHEN_LANGUAGE,
  type When,
  whenOf,
  withType,
} from './when-draft.ts'

/** The open event as a tree beside the fields; below them all events and the children. */
export function MapEditor({ source, children }: { source: Source; children?: ComponentChildren }) {
  const { id, structure } = source
  const newest = useSourceEvents(id, undefined, undefined).data?.events[0]
  const openId = search.value.get('event') ?? newest?.id
  const structureQuery = useQuery(
    ['structure', structure.id],
    async ({ signal }) =>
      (await api.get('/v1/records/structures/{nameOrId}', { params: { nameOrId: structure.id }, signal }))
        .structure,
  )
  const { data, error } = structureQuery
  return (
    <>
      <QueryResult query={structureQuery}>
        {(known) => (
          <Editor source={source} structure={known} eventId={openId} receivedAt={newest?.received_at} />
        )}
      </QueryResult>
      {/* Rendered after the map, which would otherwise push them down. */}
      {(data !== undefined || error) && (
        <>
          <SourceEvents source={source} openId={openId} />
          {children}
        </>
      )}
    </>
  )
}

interface EditorProps {
  readonly source: Source
  readonly structure: Structure
  readonly eventId: string | undefined
  readonly receivedAt: string | undefined
}

const TRY_DELAY_MS = 150

/** The server's dry run of the event with this draft, TRY_DELAY_MS after the last edit. */
function useTried({ id }: Source, eventId: string | undefined, draft: Draft, when: When) {
  const [tried, setTried] = useState<Tried>()
  useEffect(() => {
    if (eventId === undefined) return
    let isCurrent = true
    const timer = setTimeout(() => {
      tryEvent(id, eventId, { ...draft }, [...when]).then(
        (answer) => isCurrent && setTried(answer),
        (error: Error) => isCurrent && setTried({ status: 'unmapped', data: null, error: error.message }),
      )
    }, TRY_DELAY_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [id, eventId, draft, when])
  return tried
}

/** The parts of a source that this screen edits, as the controls hold them. */
interface Edit {
  readonly draft: Draft
  readonly conflict: Source['on_conflict']
  readonly newerBy: Source['newer_by']
  readonly conditions: ReturnType<typeof conditionDraftsOf>
}

const editOf = ({ map, when, on_conflict, newer_by }: Source): Edit => ({
  draft: draftOf(map),
  conflict: on_conflict,
  newerBy: newer_by,
  conditions: conditionDraftsOf(when),
})

/** The members of the PATCH that stores an edit. */
const patchOf = ({ draft, conflict, newerBy, conditions }: Edit) => ({
  map: { ...draft },
  when: [...whenOf(conditions)],
  on_conflict: conflict,
  newer_by: conflict === 'update' && newerBy && draft[newerBy] ? newerBy : null,
})

/** The displayed values: unsaved edits, which outlast any change of the source, or else the source. */
function useEdit(source: Source) {
  const stored = useMemo(() => editOf(source), [source.updated_at])
  const [edited, setEdited] = useState<Edit>()
  const edit = edited ?? stored
  return {
    edit,
    isChanged: JSON.stringify(patchOf(edit)) !== JSON.stringify(patchOf(stored)),
    set: (part: Partial<Edit>) => setEdited({ ...edit, ...part }),
    /** Shows the source again, unless there are newer edits. */
    saved: (sent: Edit) => setEdited((now) => (now === sent ? undefined : now)),
  }
}

function Editor({ source, structure, eventId, receivedAt }: EditorProps) {
  const { id } = source
  const { edit, isChanged, set, saved } = useEdit(source)
  const { draft, conflict, conditions } = edit
  const [selected, setSelected] = useState(() => nextField(structure, draft))
  const when = useMemo(() => whenOf(conditions), [conditions])
  const tried = useTried(source, eventId, draft, when)
  const { run, isRunning, refusal } = useAction(async () => {
    await updateSource(id, patchOf(edit))
    saved(edit)
  })
  const change = (key: string, entry: Entry | undefined) => {
    const { [key]: _, ...others } = draft
    const next: Draft = entry ? { ...others, [key]: entry } : others
    set({ draft: next })
    return next
  }
  const pick = (entry: Entry, value: unknown) => {
    const field = structure.fields.find(({ key }) => key === selected) ?? structure.fields[0]
    if (!field) return
    const as = readAs(field.type, value)
    setSelected(nextField(structure, change(field.key, as ? { ...entry, as } : entry), field.key))
  }
  const event = useSourceEvent(id, eventId, receivedAt).data?.event
  const type = event?.event
  return (
    <div class="map-editor">
      <section aria-label="Event">
        <h2>Event</h2>
        <Event
          id={id}
          eventId={eventId}
          receivedAt={receivedAt}
          onPick={mayWrite.value ? pick : undefined}
          usedBy={(picked) =>
            structure.fields.flatMap(({ key, label }) => {
              const entry = draft[key]
              return entry && entryText(entry) === entryText(picked) ? [label] : []
            })
          }
        />
      </section>
      <section aria-label="Row">
        <h2>Row in {structure.name}</h2>
        <Fields
          structure={structure}
          draft={draft}
          selected={selected}
          tried={tried}
          isReadOnly={!mayWrite.value}
          onSelect={setSelected}
          onChange={change}
        />
        <div class="conflict">
          <ConditionList
            language={WHEN_LANGUAGE}
            drafts={conditions}
            legend={
              conditions.length === 0 ? 'Every event becomes a row' : 'Only events that match all conditions'
            }
            isReadOnly={!mayWrite.value}
            onChange={(next) => set({ conditions: next })}
          >
            {type && !acceptsType(when, type) && (
              <Button kind="quiet" onClick={() => set({ conditions: withType(conditions, type) })}>
                Add {type}
              </Button>
            )}
          </ConditionList>
        </div>
        <p class="field conflict">
          <label for="conflict">If the row exists</label>
          <Select
            id="conflict"
            disabled={!mayWrite.value}
            value={conflict}
            options={[
              ['refuse', 'hold the event'],
              ['update', 'update the row'],
            ]}
            onChange={(next) => set({ conflict: next as Source['on_conflict'] })}
          />
        </p>
        {conflict === 'update' && (
          <NewerBy
            structure={structure}
            draft={draft}
            value={patchOf(edit).newer_by}
            onChange={(newerBy) => set({ newerBy })}
          />
        )}
        <p class="actions">
          <Result
            tried={tried}
            isRow={!isChanged && (event?.status === 'written' || event?.status === 'updated')}
          />
          <span class="grow" />
          {mayWrite.value && (
            <Button kind="main" disabled={isRunning.value || !isChanged} onClick={() => void run()}>
              Save
            </Button>
          )}
        </p>
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      </section>
    </div>
  )
}

const ORDERED = ['number', 'date', 'datetime']

interface NewerByProps {
  readonly structure: Structure
  readonly draft: Draft
  readonly value: string | null
  readonly onChange: (field: string | null) => void
}

/** Selects the field that detects late events; they leave the row unchanged. */
function NewerBy({ structure: { fields }, draft, value, onChange }: NewerByProps) {
  const ordered = fields.filter(({ key, type }) => draft[key] && ORDERED.includes(type))
  return (
    <p class="field conflict">
      <label for="newer-by">Ignore events older than the row’s</label>
      <select
        class="input"
        id="newer-by"
        disabled={!mayWrite.value}
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value || null)}
      >
        <option value="">no field (the last event received wins)</option>
        {ordered.map(({ key, label }) => (
          <option key={key} value={key}>
            {label || key}
          </option>
        ))}
      </select>
    </p>
  )
}

/** The next unmapped field after `after`, cyclically; `after` itself if all are mapped. */
function nextField({ fields }: Structure, draft: Draft, after = ''): string {
  const from = fields.findIndex(({ key }) => key === after) + 1
  const inOrder = [...fields.slice(from), ...fields.slice(0, from)]
  return inOrder.find(({ key }) => draft[key] === undefined)?.key ?? after
}

interface EventProps {
  readonly id: string
  readonly eventId: string | undefined
  readonly receivedAt: string | undefined
  readonly onPick: ((entry: Entry, value: unknown) => void) | undefined
  readonly usedBy: (entry: Entry) => readonly string[]
}

function Event({ id, eventId, receivedAt, onPick, usedBy }: EventProps) {
  const { data, error } = useSourceEvent(id, eventId, receivedAt)
  if (eventId === undefined)
    return (
      <Empty>
        <p>
          Send a test event from the service. It appears here at once. Click its values to map them to fields.
        </p>
      </Empty>
    )
  if (error) return <ErrorText>{error.message}</ErrorText>
  return data ? <EventTree detail={data} usedBy={usedBy} onPick={onPick} /> : <Loading />
}

const RESULTS: Readonly<Record<string, readonly ['ok' | 'off', string]>> = {
  written: ['ok', 'This event would create a row'],
  updated: ['ok', 'This event would update a row'],
  stale: ['off', 'The row is newer than this event'],
  ignored: ['off', 'This event does not match the conditions'],
}

interface ResultProps {
  readonly tried: Tried | undefined
  /** True if the stored map has already turned the event into a row. */
  readonly isRow: boolean
}

/** The result of the dry run. An event that already is a row may be refused as its own duplicate. */
function Result({ tried, isRow }: ResultProps) {
  if (!tried) return <span role="status" />
  const [kind, word] =
    isRow && tried.status === 'unmapped'
      ? (['ok', 'This event was saved as a row'] as const)
      : (RESULTS[tried.status] ?? ['warn', undefined])
  return (
    <span role="status">
      <span class={`status ${kind}`}>
        <span>{word ?? <RefusalText message={tried.error ?? ''} />}</span>
      </span>
    </span>
  )
}
