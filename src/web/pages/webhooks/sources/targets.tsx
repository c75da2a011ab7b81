import { useState } from 'preact/hooks'
import { ConditionList } from '../../../components/conditions/condition-list.tsx'
import { confirm } from '../../../components/confirm.tsx'
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
  return (
    <table class="table" aria-label="URLs that events are passed on to">
      <tbody>
        {forward.map((target, index) => (
          <TargetRow
            key={target.url ?? index}
            source={id}
            target={target}
            onChange={(changed) =>
              saveTargets(
                id,
                forward.flatMap((other) => (other !== target ? [other] : changed ? [changed] : [])),
              )
            }
          />
        ))}
      </tbody>
    </table>
  )
}

interface TargetProps {
  readonly source: string
  readonly target: Target
  /** Saves the target, or removes it if undefined. */
  readonly onChange: (changed: Target | undefined) => Promise<void>
}

function TargetRow({ source, target, onChange }: TargetProps) {
  const { url, when = [], status, paused_at } = target
  const [isEditing, setEditing] = useState(false)
  const { run, isRunning, refusal } = useAction((act: () => Promise<void>) => act())
  const askToRemove = () =>
    confirm({
      title: 'Remove URL',
      consequence: (
        <>
          Events are no longer passed on to <span class="break code">{url}</span>. Its pending deliveries
          fail.
        </>
      ),
      undo: 'You can add the URL again for later events.',
      action: 'Remove URL',
      act: () => onChange(undefined),
    })
  return (
    <>
      <tr class={status === 'paused' ? 'trouble' : undefined}>
        <td class="top-start break code">{url ?? 'a URL shown to members who can write'}</td>
        <td class="bottom-start">
          <Button kind="quiet" aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
            {conditionsText(when.length)}
          </Button>
        </td>
        <td class="top-end">
          <span class={`status ${status === 'paused' ? 'bad' : 'ok'}`}>{status}</span>
          {paused_at !== null && (
            <small>
              {' '}
              since <EventTime at={paused_at} />
            </small>
          )}
          {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
        </td>
        <td class="bottom-end">
          {mayWrite.value && status === 'paused' && (
            <Button
              disabled={isRunning.value}
              onClick={() => void run(() => resumeTarget(source, url ?? ''))}
            >
              Resume
            </Button>
          )}
          {mayWrite.value && (
            <Button kind="quiet" disabled={isRunning.value} onClick={() => void askToRemove()}>
              Remove…
            </Button>
          )}
        </td>
      </tr>
      {isEditing && (
        <tr class="open-row">
          <td colSpan={4}>
            <TargetConditions target={target} onChange={onChange} />
          </td>
        </tr>
      )}
    </>
  )
}

const conditionsText = (count: number): string => (count === 0 ? 'All events' : counted(count, 'condition'))

/** Edits the conditions on events that are passed on to one URL. */
function TargetConditions({ target, onChange }: Omit<TargetProps, 'source'>) {
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
