import { useComputed } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { usePartTitle } from '../../components/page-title.ts'
import type { SaveQueue } from '../../data/save-queue.ts'
import { goOnInText, takeTyping } from './typing.ts'

export const MAX_TITLE = 500

/** A title is one line. */
export const oneLine = (text: string) => text.replace(/[\r\n\t]+/g, ' ')

/** The title: a field that grows with what is in it, or a heading for who only reads. */
export function Title({ queue, isReading }: { queue: SaveQueue; isReading: boolean }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const title = useComputed(() => queue.text.value.title).value
  usePartTitle(title)
  useLayoutEffect(() => {
    const typing = takeTyping('title')
    if (!typing) return
    const { at, text } = typing
    field.current?.focus()
    field.current?.setSelectionRange(at, at)
    if (text !== '') field.current?.setRangeText(oneLine(text), at, at, 'end')
    if (field.current) queue.edit({ title: oneLine(field.current.value) })
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
        onInput={({ currentTarget }) => queue.edit({ title: oneLine(currentTarget.value) })}
        onBlur={() => void queue.flush()}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'ArrowDown') return
          if (event.key === 'Enter') event.preventDefault()
          const text = document.querySelector<HTMLElement>('#note .cm-content')
          if (text) text.focus()
          else goOnInText()
        }}
      />
    </h2>
  )
}
