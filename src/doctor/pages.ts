/** What is asked for seldom: one chunk, loaded with the first page. */
export { copyReport } from './doctor.ts';
export { DoctorPage } from './doctorPage.ts';
export { reportFailedStart } from './failedStart.ts';
export { describeMessages } from './inspector.ts';
