import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { dateFormat } from '../../../data/formats.ts'

const MONTH = dateFormat({ month: 'short', timeZone: 'UTC' })
const MONTHS = Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(2, '0'))

interface MonthPickerProps {
  /** The name of the displayed days, on the button. */
  readonly name: string
  /** The displayed month, such as `2026-11`. */
  readonly month: string
  readonly onSelect: (month: string) => void
}

/** The title of the calendar; it opens a choice of month and year. */
export function MonthPicker({ name, month, onSelect }: MonthPickerProps) {
  const menu = useRef<HTMLDivElement>(null)
  const displayed = month.slice(0, 4)
  const typed = useSignal('')
  const year = (typed.value || displayed).padStart(4, '0')
  const isYear = /^(?!0000)\d{4}$/.test(year)
  return (
    <>
      <h3>
        <button type="button" class="button quiet" popovertarget="month-picker">
          {name}
        </button>
      </h3>
      <div
        ref={menu}
        popover="auto"
        id="month-picker"
        class="menu month-picker"
        role="dialog"
        aria-label="Month and year"
        onToggle={({ newState }) => {
          if (newState !== 'open') return
          typed.value = ''
          menu.current?.querySelector('input')?.focus()
        }}
      >
        <label class="field">
          <span>Year</span>
          <input
            class="input"
            type="number"
            min={1}
            max={9999}
            placeholder={displayed}
            value={typed.value}
            onInput={({ currentTarget }) => {
              typed.value = currentTarget.value
            }}
          />
        </label>
        <div class="months">
          {MONTHS.map((number) => (
            <button
              key={number}
              type="button"
              class="button quiet"
              disabled={!isYear}
              aria-pressed={month === `${year}-${number}`}
              onClick={() => {
                menu.current?.hidePopover()
                onSelect(`${year}-${number}`)
              }}
            >
              {MONTH(new Date(`2000-${number}-01T00:00:00Z`))}
            </button>
          ))}
        </div>
      </div>
    </>
  )
}
