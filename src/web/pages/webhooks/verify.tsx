import { Code } from '../../components/code.tsx'
import { CopyButton } from '../../components/secret.tsx'
import { address, search } from '../../router.ts'

const JAVASCRIPT = `import { createHmac, timingSafeEqual } from 'node:crypto'

/** header: X-Service-Signature; body: the raw bytes. */
export function isGenuine(header, body, secret) {
  const [time, ...signatures] = header
    .split(',')
    .map((part) => part.split('=')[1])
  const age = Math.abs(Date.now() / 1000 - time)
  if (!(age <= 300)) return false
  const expected = createHmac('sha256', secret)
    .update(time + '.')
    .update(body)
    .digest()
  return signatures.some((hex) => {
    const sent = Buffer.from(hex ?? '', 'hex')
    return sent.length === expected.length
      && timingSafeEqual(sent, expected)
  })
}
`

const PYTHON = `import hashlib, hmac, time

def is_genuine(header: str, body: bytes, secret: str):
    """header: X-Service-Signature; body: the raw bytes."""
    sent, *signatures = (
        part.partition("=")[2] for part in header.split(",")
    )
    if not sent.isdecimal():
        return False
    if abs(time.time() - int(sent)) > 300:
        return False
    expected = hmac.new(
        secret.encode(), sent.encode() + b"." + body,
        hashlib.sha256,
    ).hexdigest()
    return any(
        hmac.compare_digest(expected.encode(), given.encode())
        for given in signatures
    )
`

const LANGUAGES = [
  { name: 'javascript', title: 'JavaScript', code: JAVASCRIPT },
  { name: 'python', title: 'Python', code: PYTHON },
] as const

/** Code with which a receiver verifies signatures. */
export function Verify({ id }: { id: string }) {
  const parameters = Object.fromEntries(search.value)
  const current = LANGUAGES.find(({ name }) => name === parameters.code) ?? LANGUAGES[0]
  return (
    <section class="section">
      <header>
        <h3>Verify the signature</h3>
        <CopyButton key={current.name} text={current.code} kind="quiet" />
      </header>
      <nav class="tabs" aria-label="Language">
        {LANGUAGES.map(({ name, title }) => (
          <a
            key={name}
            href={address(['webhooks', id], { ...parameters, code: name })}
            aria-current={name === current.name ? 'true' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <Code label="Verification code" text={current.code} />
      <p class="dim">
        Verify the raw body before you parse it. An event can arrive twice: store its <code>id</code> to
        detect duplicates.
      </p>
    </section>
  )
}
