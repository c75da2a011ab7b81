/* The program of a thread. */
import { serveThread } from './kernel/thread.ts'
import { findOperation } from './operations.ts'
import { credentials } from './people/sessions/sessions.ts'

serveThread({ findOperation, credentials })
