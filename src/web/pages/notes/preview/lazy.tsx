import { lazy } from '../../../components/lazy.tsx'
import { useLinks } from '../details/links.tsx'

const Preview = lazy(async () => (await import('./preview.tsx')).Preview)

/** The preview, whose code is loaded when it is first shown. */
export function LazyPreview({ id, text }: { id: string; text: string }) {
  const { data } = useLinks(id)
  const links = new Map(
    data?.outgoing.flatMap(({ text: shown, note }) =>
      note ? [[shown.toLowerCase(), note.id] as const] : [],
    ),
  )
  return <Preview text={text} links={links} />
}
