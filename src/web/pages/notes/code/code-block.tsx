import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Longer code is shown without colours. */
const MAX_COLOURED = 50_000

interface CodeBlockProps {
  readonly text: string
  /** The text after the opening fence. */
  readonly info: string
}

/** Code in the preview, coloured once its language is loaded. */
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
              parts.map(({ text: part, look }, index) =>
                look === '' ? <Fragment key={index}>{part}</Fragment> : <span class={look}>{part}</span>,
              ),
            )
        })
        // Uncoloured code remains.
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
