import { useLayoutEffect, useRef } from 'preact/hooks'
import { usePartTitle } from '../../components/page-title.ts'
import type { SaveQueue } from '../../data/save-queue.ts'

const MAX_TITLE = 500

/** The title: a field that grows with what is in it, or a heading for who only reads. */
export function Title({ queue, isReading }: { queue: SaveQueue; isReading: boolean }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const { title } = queue.text.value
  usePartTitle(title)
  useLayoutEffect(() => {
    if (!field.current || !history.state?.isNew) return
    field.current.focus()
    field.current.select()
    history.replaceState(null, '')
  }, [])
  if (isReading) return <h2 class="title">{title}</h2>
  return (
    <h2 class="title">
      <textarea
        ref={field}
        class="title-field"
        rows={1}
        maxLength={MAX_TITLE}
        aria-label="Title"
        aria-invalid={title.trim() === ''}
        value={title}
        onInput={({ currentTarget }) => queue.edit({ title: currentTarget.value.replace(/[\r\n\t]+/g, ' ') })}
        onBlur={() => void queue.flush()}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'ArrowDown') return
          if (event.key === 'Enter') event.preventDefault()
          document.querySelector<HTMLElement>('#note .cm-content')?.focus()
        }}
      />
    </h2>
  )
}
