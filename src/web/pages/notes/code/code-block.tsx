import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Longer code is shown without colours. */
const MAX_COLOURED = 50_000

interface CodeBlockProps {
  readonly text: string
  /** What stands after the fence. */
  readonly info: string
}

/** Code where a note is read, in the colours of its language once that is loaded. */
export function CodeBlock({ text, info }: CodeBlockProps) {
  const [coloured, setColoured] = useState<ComponentChildren>()
  useEffect(() => {
    let isCurrent = true
    if (info !== '' && text.length <= MAX_COLOURED)
      import('./coloured.ts')
        .then(({ colouredCode }) => colouredCode(text, info))
        .then((parts) => {
          if (isCurrent && parts)
            setColoured(
              parts.map(({ text: part, look }, at) =>
                look === '' ? <Fragment key={at}>{part}</Fragment> : <span class={look}>{part}</span>,
              ),
            )
        })
        // Without its colours it is the same code.
        .catch(() => {})
    return () => {
      isCurrent = false
    }
  }, [text, info])
  return (
    <pre>
      <code>{coloured ?? text}</code>
    </pre>
  )
}
