import { useState } from 'preact/hooks'
import { defaultTemplate, filled } from '../../../lib/template.ts'
import { Code } from '../../components/code.tsx'
import { ErrorText } from '../../components/form.tsx'
import { useId } from '../../components/use-id.ts'
import type { Webhook, WebhookKind } from '../../data/webhooks.ts'

type Format = NonNullable<Webhook['format']>

const FORMATS: readonly (readonly [Format, string])[] = [
  ['json', 'JSON with all changes'],
  ['slack', 'Slack'],
  ['discord', 'Discord'],
  ['ntfy', 'ntfy'],
  ['text', 'Plain text'],
]

interface FormatProps {
  readonly kind: WebhookKind
  readonly structure:
    | {
        readonly name: string
        readonly label_field: string | null
        readonly fields: readonly { readonly key: string; readonly label: string }[]
      }
    | undefined
  readonly webhook: Webhook | undefined
  readonly error: string | undefined
}

/** The sample value of a placeholder. */
function sampleOf({ kind, structure }: FormatProps, placeholder: string): string {
  if (placeholder === 'event') return `${kind}.updated`
  if (placeholder === 'structure') return structure?.name ?? ''
  if (placeholder === 'note.title') return 'Meeting with Ada'
  if (placeholder === 'file.file_name') return 'handbook.pdf'
  if (placeholder === 'changed') return kind === 'record' ? (structure?.fields[0]?.key ?? '') : 'title'
  const field = structure?.fields.find(({ key }) => `record.${key}` === placeholder)
  return field ? `‹${field.label || field.key}›` : `{${placeholder}}`
}

const bodyOf = (format: Format, text: string): string => {
  if (format === 'slack') return JSON.stringify({ text }, null, 2)
  return format === 'discord'
    ? JSON.stringify({ content: text, allowed_mentions: { parse: [] } }, null, 2)
    : text
}

/** Edits the format of deliveries; for formats other than JSON also the template, with a preview. */
export function FormatField(props: FormatProps) {
  const { kind, structure, webhook, error } = props
  const [format, setFormat] = useState<Format>(webhook?.format ?? 'json')
  const [template, setTemplate] = useState(webhook?.template ?? '')
  const id = useId()
  const fallback = defaultTemplate(kind, structure?.label_field ?? null)
  const placeholders = [
    ...['event', 'structure', 'changed'].filter(
      (placeholder) => kind === 'record' || placeholder !== 'structure',
    ),
    ...(kind === 'record' ? (structure?.fields.map(({ key }) => `record.${key}`) ?? []) : []),
    ...(kind === 'note' ? ['note.title'] : []),
    ...(kind === 'file' ? ['file.file_name'] : []),
  ]
  return (
    <>
      <p class="field">
        <label for={`${id}-format`}>Format</label>
        <select
          class="input"
          id={`${id}-format`}
          name="format"
          value={format}
          onChange={({ currentTarget }) => setFormat(currentTarget.value as Format)}
        >
          {FORMATS.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </p>
      {format !== 'json' && (
        <>
          <div class="field">
            <label for={`${id}-template`}>Text (default: {fallback})</label>
            <textarea
              class="input"
              id={`${id}-template`}
              name="template"
              rows={3}
              value={template}
              aria-invalid={error !== undefined}
              aria-describedby={`${id}-placeholders`}
              onInput={({ currentTarget }) => setTemplate(currentTarget.value)}
            />
            <p class="dim" id={`${id}-placeholders`}>
              {placeholders.map((placeholder) => `{${placeholder}}`).join(' ')}
            </p>
            {error && <ErrorText>{error}</ErrorText>}
          </div>
          <div class="field">
            <span class="label">Preview</span>
            <Code
              label="Preview"
              text={bodyOf(
                format,
                filled(template || fallback, (placeholder) => sampleOf(props, placeholder)),
              )}
            />
          </div>
        </>
      )}
    </>
  )
}

/** Reads the fields from the form; null for the defaults. */
export const formatOf = (data: FormData): { format: Format | null; template: string | null } => ({
  format: data.get('format') === 'json' ? null : (String(data.get('format')) as Format),
  template: String(data.get('template') ?? '') || null,
})
