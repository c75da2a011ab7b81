import { readTyped } from '../data/records/typed-text.ts'

/*
 * Native inputs of dates and times take digits alone. At the first letter such an input becomes a text field, so that
 * "tomorrow", "next fri" or "3 dec 9am" can be typed; when it is left, it shows the date as before.
 */

const VALUE_TYPES: Readonly<Record<string, string>> = {
  date: 'date',
  time: 'time',
  'datetime-local': 'datetime',
}

/** The printable keys that were pressed since the field was focused. */
let pressed = ''

/** Inputs that are text fields now, with their native type. */
const asText = new WeakMap<HTMLInputElement, string>()

const inputOf = ({ target }: Event): HTMLInputElement | undefined =>
  target instanceof HTMLInputElement && (asText.has(target) || target.type in VALUE_TYPES)
    ? target
    : undefined

/** Makes a native input a text field with this text. */
function showText(input: HTMLInputElement, text: string): void {
  asText.set(input, input.type)
  input.type = 'text'
  input.value = text
}

/** Begins with typed text in a native input, as in the cell of a grid that typing opened. */
export function beginTyping(input: HTMLInputElement, text: string): void {
  if (!(input.type in VALUE_TYPES) || input.value === text) return
  if (/\p{L}/u.test(text)) showText(input, text)
  else pressed = text
}

/** Letters that choose the half of the day once digits were typed. */
const isHalfOfDay = (input: HTMLInputElement, key: string): boolean =>
  input.type !== 'date' && /^[ap]$/i.test(key) && pressed.replaceAll(/\D/g, '').length > 2

/** Shows the date of the text, if it can be read. */
function finish(input: HTMLInputElement): void {
  const type = asText.get(input)
  if (type === undefined || input.value.trim() === '') return
  const value = readTyped(VALUE_TYPES[type] ?? '', input.value)
  const typed = input.value
  input.type = type
  input.value = value
  if (input.value === '') {
    showText(input, typed)
    return
  }
  asText.delete(input)
  pressed = ''
  for (const name of ['input', 'change']) input.dispatchEvent(new Event(name, { bubbles: true }))
}

function onKeyDown(event: KeyboardEvent): void {
  const input = inputOf(event)
  if (!input || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
  if (asText.has(input)) {
    // Tab leaves a text field at once, but goes through the parts of a native one.
    if (event.key === 'Enter') finish(input)
  } else if (event.key === 'Backspace' || event.key === 'Delete') pressed = ''
  else if (/^\p{L}$/u.test(event.key) && !isHalfOfDay(input, event.key)) showText(input, pressed)
  else if (event.key.length === 1) {
    // Within a date a space is typed; alone it opens the picker.
    if (event.key === ' ' && pressed !== '') event.preventDefault()
    pressed += event.key
  }
}

const options = { capture: true }
addEventListener('keydown', onKeyDown, options)
addEventListener('focusin', () => {
  pressed = ''
})
addEventListener(
  'blur',
  (event) => {
    const input = inputOf(event)
    if (input) finish(input)
  },
  options,
)
