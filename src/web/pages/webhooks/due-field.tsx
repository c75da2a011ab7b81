import { useState } from 'preact/hooks'
import { Field } from '../../components/form.tsx'
import { useId } from '../../components/use-id.ts'
import { counted } from '../../data/formats.ts'
import type { Webhook } from '../../data/webhooks.ts'

type Due = NonNullable<Webhook['due']>

interface DueProps {
  /** Fields of type date or datetime. */
  readonly fields: readonly { readonly key: string; readonly label: string; readonly type: string }[]
  readonly due: Due | undefined
}

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Edits when a row is due: days before or after a date field, at a time of day in a time zone. */
export function DueField({ fields, due }: DueProps) {
  const [key, setKey] = useState(due?.field ?? fields[0]?.key ?? '')
  const id = useId()
  const days = due?.offset_days ?? 0
  return (
    <fieldset class="field">
      <legend class="label">Due date</legend>
      <div class="pair">
        <Field label="Days" name="due_days" type="number" defaultValue={String(Math.abs(days))} required />
        <p class="field">
          <label for={`${id}-side`}>Before or after</label>
          <select
            class="input"
            id={`${id}-side`}
            name="due_side"
            defaultValue={days < 0 ? 'before' : 'after'}
          >
            <option value="before">before</option>
            <option value="after">after</option>
          </select>
        </p>
        <p class="field">
          <label for={`${id}-field`}>Field</label>
          <select
            class="input"
            id={`${id}-field`}
            name="due_field"
            value={key}
            onChange={({ currentTarget }) => setKey(currentTarget.value)}
          >
            {fields.map((field) => (
              <option key={field.key} value={field.key}>
                {field.label || field.key}
              </option>
            ))}
          </select>
        </p>
      </div>
      {fields.find((field) => field.key === key)?.type === 'date' && (
        <div class="pair">
          <p class="field">
            <label for={`${id}-at`}>Time</label>
            <input
              class="input"
              id={`${id}-at`}
              name="due_at"
              type="time"
              required
              defaultValue={due?.at ?? '08:00'}
            />
          </p>
          <p class="field">
            <label for={`${id}-tz`}>Time zone</label>
            <input
              class="input"
              id={`${id}-tz`}
              name="due_tz"
              required
              list={`${id}-zones`}
              defaultValue={due ? (due.tz ?? 'UTC') : ownZone()}
            />
            <datalist id={`${id}-zones`}>
              {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </p>
        </div>
      )}
    </fieldset>
  )
}

/** Reads the fields from the form. */
export function dueOf(data: FormData): Due {
  const days = Number(data.get('due_days')) * (data.get('due_side') === 'before' ? -1 : 1)
  const at = data.get('due_at')
  return {
    field: String(data.get('due_field')),
    // Turns -0 into 0.
    offset_days: days || 0,
    ...(at !== null && { at: String(at), tz: String(data.get('due_tz')).trim() }),
  }
}

/** "1 day before due, at 08:00 (Europe/Berlin)" */
export function dueText({ field, offset_days: days = 0, at, tz }: Due): string {
  const count = Math.abs(days)
  const when =
    days === 0 ? `at ${field}` : `${counted(count, 'day')} ${days < 0 ? 'before' : 'after'} ${field}`
  return at === undefined ? when : `${when}, at ${at} (${tz ?? 'UTC'})`
}
