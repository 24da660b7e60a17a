-- oldest version: 0.1.0
-- Newer columns refuse times outside Python's calendar, as all other columns.

alter table whereabouts add constraint whereabouts_announce_at_bounded
    check (announce_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00')
    not valid;
alter table api_heartbeats add constraint api_heartbeats_started_at_bounded
    check (started_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00')
    not valid;
alter table api_heartbeats add constraint api_heartbeats_beat_at_bounded
    check (beat_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00')
    not valid;
alter table stopped_sweeps add constraint stopped_sweeps_stopped_at_bounded
    check (stopped_at between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00')
    not valid;
alter table stopped_sweeps add constraint stopped_sweeps_allowed_until_bounded
    check (allowed_until between '0001-01-01 00:00:00+00' and '9999-12-31 23:59:59.999999+00')
    not valid;
