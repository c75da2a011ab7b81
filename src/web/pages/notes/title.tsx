import { useComputed } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { NoteDraft } from '../../data/note-draft.ts'
import { continueInText, resumeTyping } from './typing.ts'

export const MAX_TITLE = 500

/** Replaces line breaks and tabs by spaces. */
export const oneLine = (text: string) => text.replace(/[\r\n\t]+/g, ' ')

interface TitleProps {
  readonly draft: NoteDraft
  readonly isReading: boolean
  /** Whether the note is the second one on the screen. */
  readonly isBeside: boolean
}

/** The title: an auto-growing field, or a heading while reading. */
export function Title({ draft, isReading, isBeside }: TitleProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const title = useComputed(() => draft.text.value.title).value
  useLayoutEffect(() => {
    const typing = isBeside ? undefined : resumeTyping('title')
    if (!typing) return
    const { offset, text } = typing
    field.current?.focus()
    field.current?.setSelectionRange(offset, offset)
    if (text !== '') field.current?.setRangeText(oneLine(text), offset, offset, 'end')
    if (field.current) draft.edit({ title: oneLine(field.current.value) })
  }, [])
  if (isReading)
    return (
      <h2 class="title" dir="auto">
        {title}
      </h2>
    )
  return (
    <h2 class="title">
      <textarea
        ref={field}
        class="title-field"
        dir="auto"
        rows={1}
        maxLength={MAX_TITLE}
        aria-label="Title"
        aria-invalid={title.trim() === ''}
        value={title}
        onInput={({ currentTarget }) => draft.edit({ title: oneLine(currentTarget.value) })}
        onBlur={() => void draft.flush()}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'ArrowDown') return
          if (event.key === 'Enter') event.preventDefault()
          const text = event.currentTarget.closest('.pane')?.querySelector<HTMLElement>('.cm-content')
          if (text) text.focus()
          else if (!isBeside) continueInText()
        }}
      />
    </h2>
  )
}
