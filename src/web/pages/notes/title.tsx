import { useComputed } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { usePartTitle } from '../../components/page-title.ts'
import type { NoteDraft } from '../../data/note-draft.ts'
import { continueInText, resumeTyping } from './typing.ts'

export const MAX_TITLE = 500

/** Replaces line breaks and tabs by spaces. */
export const oneLine = (text: string) => text.replace(/[\r\n\t]+/g, ' ')

/** The title: an auto-growing field, or a heading while reading. */
export function Title({ draft, isReading }: { draft: NoteDraft; isReading: boolean }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const title = useComputed(() => draft.text.value.title).value
  usePartTitle(title)
  useLayoutEffect(() => {
    const typing = resumeTyping('title')
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
          const text = document.querySelector<HTMLElement>('#note .cm-content')
          if (text) text.focus()
          else continueInText()
        }}
      />
    </h2>
  )
}
