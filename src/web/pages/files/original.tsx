import { useEffect, useState } from 'preact/hooks'
import { Code } from '../../components/code.tsx'
import { Button, ErrorText } from '../../components/form.tsx'
import { Loading } from '../../components/pane.tsx'
import { contentOf, type FileWithOutline } from '../../data/files.ts'
import { formatNumber } from '../../data/formats.ts'
import { fetchBytes } from '../../data/request.ts'
import { search } from '../../router.ts'
import { mayRunScripts } from './pdf-scripts.ts'
import { isText, MOST_CHARACTERS, textOf } from './plain-text.ts'

/** Pictures that every browser draws; as pictures they run no script. */
const PICTURES = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/svg+xml',
])

/** Larger documents are fetched when they are asked for. */
const SMALL_BYTES = 10_000_000

/** The file as it is, where a browser can show it; else what to do with it. */
export function Original({ file }: { file: FileWithOutline }) {
  return (
    <section class="section original">
      <h2>Original</h2>
      <View file={file} />
    </section>
  )
}

function View({ file }: { file: FileWithOutline }) {
  const { id, file_name, mime_type, size } = file
  const [isWanted, setWanted] = useState(size <= SMALL_BYTES)
  if (PICTURES.has(mime_type)) return <img src={contentOf(id)} alt={file_name} loading="lazy" />
  const Viewer =
    mime_type === 'application/pdf' && navigator.pdfViewerEnabled ? Pdf : isText(file) ? PlainText : undefined
  if (Viewer === undefined) return <ToDownload file={file} />
  if (isWanted) return <Viewer file={file} title={`${file_name}, the original`} />
  return <Button onClick={() => setWanted(true)}>Show the original</Button>
}

const OF_NO_KIND =
  'A browser cannot show a file of this kind. Download it and open it with a program that can.'
const SCRIPTED =
  'This document is encrypted or has scripts, which would run here. If you trust it, download it and open it with another program.'

const ToDownload = ({
  file: { id, file_name },
  error = OF_NO_KIND,
}: {
  file: FileWithOutline
  error?: string
}) => (
  <div class="stack">
    <p>{error}</p>
    <p class="actions">
      <a class="button" href={contentOf(id)} download={file_name}>
        Download {file_name}
      </a>
    </p>
  </div>
)

interface ViewerProps {
  readonly file: FileWithOutline
  readonly title: string
}

/** The bytes of a file, once they are fetched, and why they cannot be. */
function useBytes(id: string) {
  const [bytes, setBytes] = useState<Blob>()
  const [refusal, setRefusal] = useState<string>()
  useEffect(() => {
    let isGone = false
    fetchBytes(contentOf(id)).then(
      (fetched) => {
        if (!isGone) setBytes(fetched)
      },
      (error: Error) => setRefusal(error.message),
    )
    return () => {
      isGone = true
    }
  }, [id])
  return { bytes, refusal }
}

/** The characters of a text as they are, never as a page: nothing of it can run. */
function PlainText({ file, title }: ViewerProps) {
  const { bytes, refusal } = useBytes(file.id)
  const [text, setText] = useState<string>()
  useEffect(() => {
    void bytes?.arrayBuffer().then((buffer) => setText(textOf(new Uint8Array(buffer))))
  }, [bytes])
  if (refusal !== undefined) return <ErrorText>{refusal}</ErrorText>
  if (text === undefined) return <Loading />
  return (
    <>
      <Code label={title} text={text.slice(0, MOST_CHARACTERS)} />
      {text.length > MOST_CHARACTERS && (
        <p>
          These are the first {formatNumber(MOST_CHARACTERS)} characters. Download the file to read the rest.
        </p>
      )}
    </>
  )
}

/**
 * The browser's own viewer, unless it would run a script. The bytes are shown as a PDF whatever they are, so that
 * none are run as a page.
 */
function Pdf({ file, title }: ViewerProps) {
  const { bytes, refusal } = useBytes(file.id)
  const [url, setUrl] = useState<string>()
  const [isRefused, setRefused] = useState(false)
  useEffect(() => {
    if (!bytes) return
    const made = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }))
    void bytes
      .arrayBuffer()
      .then((buffer) => mayRunScripts(new Uint8Array(buffer)))
      .then((isScripted) => {
        setRefused(isScripted)
        if (!isScripted) setUrl(made)
      })
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  if (refusal !== undefined) return <ErrorText>{refusal}</ErrorText>
  if (isRefused) return <ToDownload file={file} error={SCRIPTED} />
  if (url === undefined) return <Loading />
  const page = search.value.get('page') ?? '1'
  return <iframe key={page} src={`${url}#page=${encodeURIComponent(page)}&navpanes=0`} title={title} />
}
