// A receiver of webhooks with Express: npm install express; DAYBOOK_SECRET=whsec_… node receiver-express.mjs 3000
import { createHmac, timingSafeEqual } from 'node:crypto'
import express from 'express'

const SECRET = process.env.DAYBOOK_SECRET
if (!SECRET) throw new Error('DAYBOOK_SECRET is not set.')
const MAX_AGE_SECONDS = 300

/** Whether one of the signatures in X-Service-Signature is right and not too old. */
function isSigned(header, body) {
  const parts = header.split(',').map((part) => part.split('='))
  const seconds = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d+$/.test(seconds) || Math.abs(Date.now() / 1000 - Number(seconds)) > MAX_AGE_SECONDS) return false
  const expected = createHmac('sha256', SECRET).update(`${seconds}.`).update(body).digest()
  return parts.some(([name, value]) => {
    const sent = Buffer.from(name === 'v1' ? (value ?? '') : '', 'hex')
    return sent.length === expected.length && timingSafeEqual(sent, expected)
  })
}

const app = express()

// `raw` keeps the bytes as they came: verify them before they are parsed.
app.post('/hook', express.raw({ type: 'application/json', limit: '50mb' }), (request, response) => {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  if (!isSigned(request.get('X-Service-Signature') ?? '', body)) {
    response.sendStatus(401)
    return
  }
  const event = JSON.parse(body.toString('utf8'))
  // An event may come twice: remember the ids you have handled.
  process.stdout.write(`${event.type} ${event.id}\n`)
  response.sendStatus(204)
})

const server = app.listen(Number(process.argv[2] ?? 3000), '127.0.0.1', () =>
  process.stdout.write(`listening ${server.address().port}\n`),
)
