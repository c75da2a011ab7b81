import { OTHER_STAGES, testStages } from './stages.ts'

testStages(OTHER_STAGES)
