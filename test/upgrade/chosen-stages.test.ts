import { CHOSEN_STAGES, testStages } from './stages.ts'

testStages(CHOSEN_STAGES)
