export { giveConsent } from './authorize.ts'
export { registerClient } from './clients.ts'
export { issueTokens, revokeToken } from './tokens.ts'
