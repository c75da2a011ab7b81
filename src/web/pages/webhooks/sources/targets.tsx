import { useState } from 'preact/hooks'
import { ConditionList } from '../../../components/conditions/condition-list.tsx'
import { confirm } from '../../../components/confirm.tsx'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { counted } from '../../../data/formats.ts'
import { mayWrite } from '../../../data/session.ts'
import { resumeTarget, type Source, type Target, updateSource } from '../../../data/sources.ts'
import { EventTime } from '../event-time.tsx'
import { draftsOf, WHEN_LANGUAGE, whenOf } from './when-draft.ts'

/** Replaces the targets of a source. */
export const saveTargets = (id: string, targets: readonly Pick<Target, 'url' | 'when'>[]): Promise<void> =>
  updateSource(id, {
    forward: targets.map(({ url, when }) => ({ url: url ?? '', ...(when?.length && { when }) })),
  })

/** The URLs that events are passed on to, with their conditions and states. */
export function Targets({ source: { id, forward = [] } }: { source: Source }) {
  const useRow = (target: Target) => {
    const [isEditing, setEditing] = useState(false)
    const resume = useAction(() => resumeTarget(id, target.url ?? ''))
    const change = (changed?: Target) =>
      saveTargets(
        id,
        forward.flatMap((other) => (other !== target ? [other] : changed ? [changed] : [])),
      )
    return { isEditing, setEditing, resume, change }
  }
  return (
    <DataTable
      label="URLs that events are passed on to"
      columns={COLUMNS}
      items={forward}
      keyOf={({ url }, index) => url ?? index}
      useRow={useRow}
      errorOf={(_, { resume }) => resume.refusal.value}
      highlight={({ status }) => (status === 'paused' ? 'trouble' : undefined)}
      below={(target, { isEditing, change }) =>
        isEditing && <TargetConditions target={target} onChange={change} />
      }
    />
  )
}

interface RowState {
  readonly isEditing: boolean
  readonly setEditing: (isEditing: boolean) => void
  readonly resume: ReturnType<typeof useAction<[]>>
  /** Saves the target, or removes it if undefined. */
  readonly change: (changed?: Target) => Promise<void>
}

const COLUMNS: readonly Column<Target, RowState>[] = [
  {
    label: 'URL',
    corner: 'top-start',
    look: 'break code',
    cell: ({ url }) => url ?? 'a URL shown to members who can write',
  },
  {
    label: 'Conditions',
    corner: 'bottom-start',
    cell: ({ when = [] }, { isEditing, setEditing }) => (
      <Button kind="quiet" aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
        {conditionsText(when.length)}
      </Button>
    ),
  },
  {
    label: 'Status',
    corner: 'top-end',
    cell: ({ status, paused_at }) => (
      <>
        <span class={`status ${status === 'paused' ? 'bad' : 'ok'}`}>{status}</span>
        {paused_at !== null && (
          <small>
            {' '}
            since <EventTime at={paused_at} />
          </small>
        )}
      </>
    ),
  },
  {
    label: 'Actions',
    isLabelHidden: true,
    corner: 'bottom-end',
    cell: ({ url, status }, { resume, change }) =>
      mayWrite.value && (
        <>
          {status === 'paused' && (
            <Button disabled={resume.isRunning.value} onClick={() => void resume.run()}>
              Resume
            </Button>
          )}
          <Button kind="quiet" onClick={() => void askToRemove(url, change)}>
            Remove…
          </Button>
        </>
      ),
  },
]

const askToRemove = (url: Target['url'], remove: RowState['change']): Promise<boolean> =>
  confirm({
    title: 'Remove URL',
    consequence: (
      <>
        Events are no longer passed on to <span class="break code">{url}</span>. Its pending deliveries fail.
      </>
    ),
    undo: 'You can add the URL again for later events.',
    action: 'Remove URL',
    act: () => remove(),
  })

const conditionsText = (count: number): string => (count === 0 ? 'All events' : counted(count, 'condition'))

interface ConditionsProps {
  readonly target: Target
  readonly onChange: RowState['change']
}

/** Edits the conditions on events that are passed on to one URL. */
function TargetConditions({ target, onChange }: ConditionsProps) {
  const [drafts, setDrafts] = useState(() => draftsOf(target.when ?? []))
  const { run, isRunning, refusal } = useAction(() => onChange({ ...target, when: [...whenOf(drafts)] }))
  return (
    <div class="target-conditions">
      <ConditionList
        language={WHEN_LANGUAGE}
        drafts={drafts}
        legend={
          drafts.length === 0
            ? 'Every event is passed on'
            : 'Only events that match all conditions are passed on'
        }
        name="target condition"
        isReadOnly={!mayWrite.value}
        onChange={setDrafts}
      />
      {mayWrite.value && (
        <p class="actions">
          <Button kind="main" disabled={isRunning.value} onClick={() => void run()}>
            Save conditions
          </Button>
        </p>
      )}
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
    </div>
  )
}
