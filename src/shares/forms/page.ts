import { type Html, html } from '../../lib/html.ts'
import { pageResponse, shownText } from '../pages/page.ts'
import type { FormField, FormSettings } from '../service.ts'
import { TOKEN_INPUT, TRAP_INPUT } from './sent.ts'

/** A form as its page shows it: its fields, the typed values, and the refusals. */
export interface ShownForm {
  readonly title: string
  readonly settings: FormSettings
  readonly fields: readonly FormField[]
  readonly now: number
  readonly typed?: ReadonlyMap<string, string>
  /** Sentences by the key of the field that they concern. */
  readonly refusals?: ReadonlyMap<string, string>
  readonly refusal?: string
  readonly status?: number
  readonly retryAfterSeconds?: number
}

/** The page of a form; after a refusal, with the typed values and the sentences at their fields. */
export function formPage(form: ShownForm): Response {
  const {
    title,
    settings,
    fields,
    now,
    refusals = new Map(),
    refusal,
    status = 200,
    retryAfterSeconds,
  } = form
  const isRefused = refusal !== undefined || refusals.size > 0
  const hasFiles = fields.some(({ field }) => field.type === 'file')
  const encoding = hasFiles && html` enctype="multipart/form-data"`
  const summary = refusal ?? 'Nothing was sent yet: see the fields that are marked.'
  return pageResponse({
    title: isRefused ? `Not sent: ${title}` : title,
    status,
    retryAfterSeconds,
    main: html`<h1 dir="auto">${title}</h1>
${paragraphs(settings.text)}
${isRefused && html`<p class="banner" role="alert">${summary}</p>`}
<form method="post" accept-charset="utf-8"${encoding}>
${fields.map((field) => input(field, form))}
<p class="more" aria-hidden="true"><label for="more">Leave this empty</label><input id="more" name="${TRAP_INPUT}" tabindex="-1" autocomplete="off"></p>
<input type="hidden" name="${TOKEN_INPUT}" value="${newPageToken(now)}">
<button>Send</button>
</form>`,
  })
}

const paragraphs = (text: string | undefined): Html[] =>
  shownText(text ?? '')
    .split(/\n{2,}/)
    .filter((one) => one.trim() !== '')
    .map((one) => html`<p class="lead" dir="auto">${one}</p>`)

/** The page of a closed form, and of a form that was sent. */
export const sentencePage = (title: string, sentence: string, status = 200): Response =>
  pageResponse({
    title,
    status,
    main: html`<h1 dir="auto">${title}</h1><p dir="auto" role="status">${sentence}</p>`,
  })

const TOKEN_LIFE_MS = 24 * 3_600_000

/** Identifies one page for a day; a post from it is written once. */
const newPageToken = (now: number): string =>
  `${now.toString(36)}.${Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url')}`

/** The token of the sent page; undefined if absent or too old. */
export function pageTokenIn(text: string | undefined, now: number): string | undefined {
  const [, begun] = /^([0-9a-z]{1,11})\.[\w-]{22}$/.exec(text ?? '') ?? []
  const age = begun === undefined ? Number.POSITIVE_INFINITY : now - Number.parseInt(begun, 36)
  return age >= 0 && age < TOKEN_LIFE_MS ? text : undefined
}

function input(shown: FormField, { typed, refusals, settings }: ShownForm): Html {
  const { field, label, help, isRequired } = shown
  const { key, type } = field
  const refusal = refusals?.get(key)
  const described = [help !== undefined && `h-${key}`, refusal !== undefined && `e-${key}`].filter(Boolean)
  const required = isRequired && type !== 'bool' && html` required`
  const invalid = refusal !== undefined && html` aria-invalid="true"`
  const by = described.length > 0 && html` aria-describedby="${described.join(' ')}"`
  const attributes = html` id="f-${key}" name="${key}"${required}${invalid}${by}`
  const control = controlOf(shown, attributes, typed?.get(key) ?? '')
  const remarks = [
    type === 'datetime' && (settings.tz ?? 'UTC'),
    !isRequired && type !== 'bool' && 'optional',
  ].filter((one) => one !== false)
  const remark = remarks.length > 0 && html` <i>${remarks.join(', ')}</i>`
  const notes = html`${help !== undefined && html` <small id="h-${key}" dir="auto">${help}</small>`}${refusal !== undefined && html` <small class="bad" id="e-${key}">${refusal}</small>`}`
  if (field.multiple && field.options !== null)
    return html`<fieldset${by}><legend dir="auto">${label}${remark}</legend>${control}${notes}</fieldset>`
  if (type === 'bool') return html`<p><label for="f-${key}" dir="auto">${control}${label}</label>${notes}</p>`
  return html`<p><label for="f-${key}" dir="auto">${label}${remark}</label> ${control}${notes}</p>`
}

/** Longer texts, in characters, are typed into an area of several lines. */
const LINE_LENGTH = 200

/** The values that the inputs of browsers accept. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  number: /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/,
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/,
}

/** The types of inputs, by the style of the text's format. */
const TEXT_INPUTS: Readonly<Record<string, string>> = { url: 'url', email: 'email', phone: 'tel' }

function controlOf({ field }: FormField, attributes: Html, value: string): Html {
  const { type, options, min, max, unique } = field
  const bounds = html`${min !== null && html` min="${boundOf(min)}"`}${max !== null && html` max="${boundOf(max)}"`}`
  const given = value !== '' && html` value="${value}"`
  if (field.multiple && options !== null) return boxes(field.key, options, value)
  // An input of its type would not show an invalid value.
  if (value !== '' && PATTERNS[type]?.test(value) === false)
    return html`<input type="text"${attributes}${given}>`
  switch (type) {
    case 'bool':
      return html`<input type="checkbox"${attributes} value="true"${isChecked(value) && html` checked`}>`
    case 'number':
      return html`<input type="number" step="any" inputmode="decimal"${attributes}${bounds}${given}>`
    case 'date':
      return html`<input type="date"${attributes}${bounds}${given}>`
    case 'time':
      return html`<input type="time" step="1"${attributes}${bounds}${given}>`
    case 'datetime':
      return html`<input type="datetime-local"${attributes}${given}>`
    case 'file':
      return html`<input type="file"${attributes}${field.multiple && html` multiple`}>`
    case 'select':
      if (options !== null) return choices(options, attributes, value)
  }
  const lengths = html`${typeof min === 'number' && html` minlength="${min}"`}${typeof max === 'number' && html` maxlength="${max}"`}`
  const style = field.format?.style ?? ''
  const kind = TEXT_INPUTS[style]
  const isShort = kind !== undefined || unique || type === 'select'
  const isLine = !field.multiple && (isShort || (typeof max === 'number' && max <= LINE_LENGTH))
  return isLine
    ? html`<input type="${kind ?? 'text'}" dir="auto"${attributes}${lengths}${given}>`
    : html`<textarea rows="2" dir="auto"${attributes}${lengths}>
${value}</textarea>`
}

const isChecked = (value: string): boolean => value === 'true' || value === 'on'

const boundOf = (bound: number | string): string => (typeof bound === 'number' ? String(bound) : bound)

/** A box for each option; the browser sends the name once for each that is checked. */
function boxes(key: string, options: readonly string[], value: string): Html {
  const checked = new Set(value.split('\n'))
  const all = options.map(
    (option) =>
      html`<label dir="auto"><input type="checkbox" name="${key}" value="${option}"${checked.has(option) && html` checked`}>${shownText(option)}</label> `,
  )
  return html`${all}`
}

function choices(options: readonly string[], attributes: Html, value: string): Html {
  const all = options.map(
    (option) =>
      html`<option value="${option}"${option === value && html` selected`}>${shownText(option)}</option>`,
  )
  return html`<select${attributes}><option value="">–</option>${all}</select>`
}
