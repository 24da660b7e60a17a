-- Operators may have the role `billing`.

alter table operators drop constraint operators_role_check;
-- allowed constraint: a company has few operators.
alter table operators add constraint operators_role_check
    check (role in ('admin', 'dispatcher', 'billing', 'viewer'));
