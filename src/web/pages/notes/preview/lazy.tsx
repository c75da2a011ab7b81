import { lazy } from '../../../components/lazy.tsx'
import { useLinks } from '../details/links.tsx'

const Preview = lazy(async () => (await import('./preview.tsx')).Preview)

interface LazyPreviewProps {
  readonly id: string
  readonly title: string
  readonly text: string
  /** The text stored on the server. */
  readonly saved: string
}

/** The preview, loaded when it is first shown. */
export function LazyPreview({ id, title, text, saved }: LazyPreviewProps) {
  const { data } = useLinks(id)
  return <Preview key={id} title={title} text={text} saved={saved} outgoing={data?.outgoing ?? NONE} />
}

const NONE: readonly never[] = []
